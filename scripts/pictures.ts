// The pictures of the README, for light and dark pages: the way of a call, and a terminal. The lines of the terminal come from the
// program.

import { resolve } from 'node:path';
import { renderBanner } from '../src/cli/serve/banner.ts';
import { useColoursFor } from '../src/cli/terminal/palette.ts';
import { readConfig } from '../src/config/read-config.ts';
import { createGateway, loadDomains } from '../src/index.ts';

interface Theme {
  readonly page: string;
  readonly card: string;
  readonly line: string;
  readonly text: string;
  readonly quiet: string;
  readonly accent: string;
  readonly green: string;
  readonly yellow: string;
  readonly red: string;
  readonly cyan: string;
}

const THEMES: Readonly<Record<string, Theme>> = {
  light: {
    page: '#ffffff',
    card: '#f6f8fa',
    line: '#d0d7de',
    text: '#1f2328',
    quiet: '#59636e',
    accent: '#0969da',
    green: '#1a7f37',
    yellow: '#9a6700',
    red: '#cf222e',
    cyan: '#1b7c83',
  },
  dark: {
    page: '#0d1117',
    card: '#161b22',
    line: '#30363d',
    text: '#e6edf3',
    quiet: '#9198a1',
    accent: '#4493f8',
    green: '#3fb950',
    yellow: '#d29922',
    red: '#f85149',
    cyan: '#39c5cf',
  },
};

const SANS = `font-family="-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif"`;
const MONO = `font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace"`;

/** Every picture by its path. */
export async function renderPictures(): Promise<Record<string, string>> {
  const lines = await listTerminalLines();
  return Object.fromEntries(
    Object.entries(THEMES).flatMap(([name, theme]) => [
      [`docs/images/overview-${name}.svg`, drawOverview(theme)],
      [`docs/images/concepts-${name}.svg`, drawConcepts(theme)],
      [`docs/images/terminal-${name}.svg`, drawTerminal(theme, lines)],
    ]),
  );
}

const STEPS: readonly (readonly [step: string, detail: string])[] = [
  ['Who is calling?', 'API key, OAuth token or certificate'],
  ['Is it within the limits?', 'per caller and per API; audited'],
  ['Are the arguments valid?', 'if not, the error says how to fix them'],
  ['Does it destroy something?', 'then a person has to say yes first'],
  ['Send one exact request', 'with the credential of this API only'],
  ['Shape the answer', 'chosen fields, bounded size, no secrets'],
];

function drawOverview(theme: Theme): string {
  const [width, height] = [960, 400];
  const card = (x: number, y: number, w: number, h: number) =>
    `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="10" fill="${theme.card}" stroke="${theme.line}"/>`;
  const text = (x: number, y: number, content: string, style: string) =>
    `<text x="${x}" y="${y}" ${style}>${escapeXml(content)}</text>`;
  const title = `${SANS} font-size="17" font-weight="600" fill="${theme.text}"`;
  const quiet = `${SANS} font-size="13" fill="${theme.quiet}"`;
  const code = `${MONO} font-size="13" fill="${theme.accent}"`;
  const arrow = (x1: number, x2: number, y: number, label: string) => [
    `<line x1="${x1}" y1="${y}" x2="${x2}" y2="${y}" stroke="${theme.quiet}" stroke-width="1.5" marker-end="url(#head)"/>`,
    text((x1 + x2) / 2, y - 8, label, `${SANS} font-size="12" fill="${theme.quiet}" text-anchor="middle"`),
  ];
  const steps = STEPS.flatMap(([step, detail], index) => {
    const y = 94 + index * 50;
    return [
      `<circle cx="346" cy="${y + 5}" r="12" fill="${theme.accent}"/>`,
      text(
        346,
        y + 9.5,
        String(index + 1),
        `${SANS} font-size="13" font-weight="600" fill="${theme.page}" text-anchor="middle"`,
      ),
      text(370, y + 2, step, `${SANS} font-size="14" font-weight="600" fill="${theme.text}"`),
      text(370, y + 20, detail, quiet),
    ];
  });
  const parts = [
    card(16, 40, 232, 320),
    text(36, 72, 'AI client', title),
    text(36, 94, 'Claude, Cursor, VS Code,', quiet),
    text(36, 112, 'ChatGPT, your own agents', quiet),
    text(36, 156, 'What the model sees', `${SANS} font-size="14" font-weight="600" fill="${theme.text}"`),
    ...['search_operations', 'describe_operation', 'call_operation'].map((name, index) =>
      text(36, 182 + index * 24, name, code),
    ),
    text(36, 272, 'All 1,223 operations of', quiet),
    text(36, 290, 'GitHub’s API, for 248 tokens.', quiet),
    text(36, 308, 'A small API is shown as', quiet),
    text(36, 326, 'one tool per operation.', quiet),
    card(318, 16, 324, 368),
    text(336, 46, 'Landbridge', title),
    text(336, 66, 'one path for every call', quiet),
    ...steps,
    card(712, 40, 232, 320),
    text(732, 72, 'Your REST APIs', title),
    text(732, 94, 'described by OpenAPI', quiet),
    text(732, 112, 'documents or domain files', quiet),
    text(732, 156, 'What they receive', `${SANS} font-size="14" font-weight="600" fill="${theme.text}"`),
    ...['GET /repos/acme/site', 'POST /issues', 'DELETE /branches/old'].map((line, index) =>
      text(
        732,
        182 + index * 24,
        line,
        `${MONO} font-size="13" fill="${[theme.green, theme.yellow, theme.red][index]}"`,
      ),
    ),
    text(732, 272, 'Only valid requests, and', quiet),
    text(732, 290, 'a DELETE only after a', quiet),
    text(732, 308, 'person has confirmed it.', quiet),
    ...arrow(252, 312, 150, 'call'),
    ...arrow(646, 706, 150, 'request'),
    ...arrow(706, 646, 250, 'response'),
    ...arrow(312, 252, 250, 'answer'),
  ];
  const head = `<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" fill="${theme.quiet}"/></marker></defs>`;
  const label =
    'An AI client sees a few tools. Landbridge checks who calls and the arguments, asks a person before anything is destroyed, applies limits, sends one exact request and shapes the answer. Your REST APIs receive only valid requests.';
  return toSvg(width, height, label, [
    head,
    `<rect width="${width}" height="${height}" fill="${theme.page}"/>`,
    ...parts,
  ]);
}

/** What is built once at start, and what happens for each call: the words of docs/concepts.md, in their order. */
const LANES: readonly (readonly [title: string, boxes: readonly (readonly [name: string, detail: string])[]])[] = [
  [
    'At start, once',
    [
      ['Document', 'OpenAPI or hand-written'],
      ['Domain', 'one API, curated by a file'],
      ['Operation', 'one request, one effect'],
      ['Exposure', 'single, grouped or search'],
      ['Tool', 'what the model sees'],
    ],
  ],
  [
    'For each call',
    [
      ['Principal', 'who calls'],
      ['Profile', 'what this caller may see'],
      ['Guard', 'asks before destroying'],
      ['Credential', 'proves you to the API'],
      ['Answer', 'shaped for the model'],
    ],
  ],
];

function drawConcepts(theme: Theme): string {
  const [width, height, boxWidth, gap] = [960, 280, 168, 18];
  const parts = LANES.flatMap(([title, boxes], lane) => {
    const y = 44 + lane * 128;
    return [
      `<text x="16" y="${y - 14}" ${SANS} font-size="14" font-weight="600" fill="${theme.quiet}">${title}</text>`,
      ...boxes.flatMap(([name, detail], index) => {
        const x = 16 + index * (boxWidth + gap + 4);
        const arrow =
          index === 0
            ? []
            : [
                `<path d="M${x - gap - 1} ${y + 35}h${gap - 6}" stroke="${theme.quiet}" stroke-width="1.5"/>`,
                `<path d="M${x - 8} ${y + 31}l7 4-7 4z" fill="${theme.quiet}"/>`,
              ];
        return [
          ...arrow,
          `<rect x="${x}" y="${y}" width="${boxWidth}" height="70" rx="10" fill="${theme.card}" stroke="${theme.line}"/>`,
          `<text x="${x + boxWidth / 2}" y="${y + 31}" ${SANS} font-size="16" font-weight="600" fill="${theme.accent}" text-anchor="middle">${name}</text>`,
          `<text x="${x + boxWidth / 2}" y="${y + 52}" ${SANS} font-size="12" fill="${theme.quiet}" text-anchor="middle">${detail}</text>`,
        ];
      }),
    ];
  });
  const label = LANES.map(([title, boxes]) => `${title}: ${boxes.map(([name]) => name).join(', ')}.`).join(' ');
  return toSvg(width, height, label, [`<rect width="${width}" height="${height}" fill="${theme.page}"/>`, ...parts]);
}

/** `npm start`, and a call: as a terminal of 80 columns shows them. */
async function listTerminalLines(): Promise<string[]> {
  // Where the embedded API listens changes with every start.
  const env = { TASKS_BASE_URL: 'http://127.0.0.1:40123' };
  const gateway = createGateway({ domains: await loadDomains({ paths: ['domains'], env }) });
  // As the program of a clone, on a terminal with colours.
  const script = resolve('dist/cli/main.js');
  const invocation = { config: readConfig({ paths: ['domains'] }, {}), envFiles: [], verbose: false, script };
  const at = { http: 'http://127.0.0.1:3333/mcp', stdio: false };
  useColoursFor({ stdout: process.stdout, stderr: process.stderr, env: { FORCE_COLOR: '1' } });
  const banner = renderBanner(gateway, at, invocation, { columns: 80, rows: 24 });
  await gateway.close();
  return ['$ npm start', '', ...banner.trimEnd().split('\n')];
}

const [LINE_HEIGHT, CHARACTER, MARGIN, BAR] = [19, 8.43, 20, 36];

function drawTerminal(theme: Theme, lines: readonly string[]): string {
  const width = Math.ceil(80 * CHARACTER + 2 * MARGIN);
  const height = BAR + lines.length * LINE_HEIGHT + MARGIN;
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, index) => `<circle cx="${MARGIN + 4 + index * 20}" cy="${BAR / 2}" r="6" fill="${colour}"/>`,
  );
  const rows = lines.map((line, index) => {
    const y = BAR + (index + 0.8) * LINE_HEIGHT;
    return `<text x="${MARGIN}" y="${y.toFixed(1)}" xml:space="preserve">${toSpans(line, theme)}</text>`;
  });
  const frame = `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" fill="${theme.card}" stroke="${theme.line}"/>`;
  return toSvg(width, height, 'What npm start prints: addresses, APIs, one line to try, and how to connect a client.', [
    frame,
    ...dots,
    `<g ${MONO} font-size="14" fill="${theme.text}">`,
    ...rows,
    '</g>',
  ]);
}

/** The colours of a terminal as those of the theme. */
function toSpans(line: string, theme: Theme): string {
  const colours: Readonly<Record<number, string>> = {
    31: theme.red,
    32: theme.green,
    33: theme.yellow,
    36: theme.cyan,
  };
  let [fill, isBold]: [string | undefined, boolean] = [undefined, false];
  const escapeCode = String.fromCharCode(27);
  return line
    .split(new RegExp(`(${escapeCode}\\[\\d+m)`))
    .map((part) => {
      const code = new RegExp(`^${escapeCode}\\[(\\d+)m$`).exec(part)?.[1];
      if (code === undefined) {
        if (part === '' || (fill === undefined && !isBold)) return escapeXml(part);
        return `<tspan${fill === undefined ? '' : ` fill="${fill}"`}${isBold ? ' font-weight="600"' : ''}>${escapeXml(part)}</tspan>`;
      }
      const number = Number(code);
      if (number === 1) isBold = true;
      else if (number === 22) [isBold, fill] = [false, undefined];
      else if (number === 2) fill = theme.quiet;
      else fill = number === 39 ? undefined : colours[number];
      return '';
    })
    .join('');
}

function toSvg(width: number, height: number, label: string, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(label)}">`;
  return `${[head, ...parts, '</svg>'].join('\n')}\n`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
