import nock from 'nock';
import { afterEach, describe, expect, test } from 'vitest';
import { createValidator } from '../../src/schema/check/validator.ts';
import { findEndpoint, loadBundled, record, testContracts } from './contract.ts';

const forecast = {
  latitude: 52.52,
  longitude: 13.419998,
  generationtime_ms: 0.08,
  utc_offset_seconds: 3600,
  timezone: 'Europe/Berlin',
  timezone_abbreviation: 'CET',
  elevation: 38.0,
  current_units: { time: 'iso8601', interval: 'seconds', temperature_2m: '°C' },
  current: { time: '2026-11-16T14:45', interval: 900, temperature_2m: 7.1 },
  daily_units: { time: 'iso8601', temperature_2m_max: '°C', precipitation_sum: 'mm' },
  daily: { time: ['2026-11-16', '2026-11-17'], temperature_2m_max: [8.4, 6.9], precipitation_sum: [0.0, 2.3] },
};

testContracts('openmeteo', {}, [
  {
    action: 'find_place',
    args: { name: 'São Paulo', country: 'BR', language: 'pt' },
    request:
      'GET https://geocoding-api.open-meteo.com/v1/search?name=S%C3%A3o%20Paulo&count=5&language=pt&countryCode=BR&format=json',
    answer: {
      results: [
        {
          id: 3448439,
          name: 'São Paulo',
          latitude: -23.5475,
          longitude: -46.63611,
          elevation: 769.0,
          feature_code: 'PPLA',
          country_code: 'BR',
          admin1_id: 3448433,
          timezone: 'America/Sao_Paulo',
          population: 10021295,
          country: 'Brazil',
        },
      ],
      generationtime_ms: 0.9,
    },
    shows: ['-23.5475', 'America/Sao_Paulo'],
  },
  {
    action: 'get_forecast',
    args: { latitude: 52.52, longitude: 13.41, daily: ['temperature_2m_max', 'precipitation_sum'], forecast_days: 2 },
    request:
      'GET https://api.open-meteo.com/v1/forecast?latitude=52.52&longitude=13.41&current=temperature_2m,apparent_temperature,precipitation,weather_code,wind_speed_10m&daily=temperature_2m_max,precipitation_sum&forecast_days=2&timezone=auto',
    answer: forecast,
    shows: ['Europe/Berlin', '8.4'],
  },
  {
    action: 'get_forecast',
    args: {
      latitude: -33.9,
      longitude: 18.4,
      current: ['is_day'],
      hourly: ['rain'],
      timezone: 'Africa/Johannesburg',
      temperature_unit: 'fahrenheit',
    },
    request:
      'GET https://api.open-meteo.com/v1/forecast?latitude=-33.9&longitude=18.4&current=is_day&hourly=rain&timezone=Africa%2FJohannesburg&temperature_unit=fahrenheit',
    answer: forecast,
  },
  {
    action: 'get_history',
    args: { latitude: 38.72, longitude: -9.13, start_date: '2025-08-01', end_date: '2025-08-02' },
    request:
      'GET https://archive-api.open-meteo.com/v1/archive?latitude=38.72&longitude=-9.13&start_date=2025-08-01&end_date=2025-08-02&daily=temperature_2m_max,temperature_2m_min,precipitation_sum&timezone=auto',
    answer: { daily: { time: ['2025-08-01', '2025-08-02'], temperature_2m_max: [31.2, 33.0] } },
    shows: ['31.2'],
  },
  {
    action: 'get_air_quality',
    args: { latitude: 48.14, longitude: 11.58, current: ['european_aqi', 'pm2_5'], timezone: 'GMT' },
    request:
      'GET https://air-quality-api.open-meteo.com/v1/air-quality?latitude=48.14&longitude=11.58&current=european_aqi,pm2_5&timezone=GMT',
    answer: { current: { time: '2026-11-16T14:00', european_aqi: 23, pm2_5: 6.4 } },
    shows: ['european_aqi'],
  },
]);

describe('Open-Meteo for customers', () => {
  afterEach(() => {
    nock.cleanAll();
  });

  test('the key goes along when there is one, and each base URL can be moved', async () => {
    const domain = await loadBundled('openmeteo', {
      OPENMETEO_API_KEY: 'k-123456',
      OPENMETEO_BASE_URL: 'https://customer-api.open-meteo.com/',
    });
    const sent = await record(
      findEndpoint(domain, 'get_forecast'),
      { latitude: 1, longitude: 2, current: ['rain'] },
      200,
      forecast,
    );
    expect(sent.request).toBe(
      'GET https://customer-api.open-meteo.com/v1/forecast?latitude=1&longitude=2&current=rain&timezone=auto&apikey=k-123456',
    );
    expect(sent.text).not.toContain('k-123456');
  });

  test('a place outside the world is refused before anything is sent', async () => {
    const domain = await loadBundled('openmeteo');
    const endpoint = findEndpoint(domain, 'get_forecast');
    expect(() => createValidator(endpoint)(endpoint.toolName, { latitude: 91, longitude: 0 })).toThrow(/latitude/);
  });
});
