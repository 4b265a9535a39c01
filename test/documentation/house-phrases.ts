// Phrases that nobody outside this project would write. Each was met in a text that people or models read, and had to be read twice.
// Beside it: what to write instead.

export const HOUSE_PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bwhoever\b/i, 'anyone who, callers that'],
  [/\bwhat counts\b|\bcounts more\b/i, 'in effect, takes precedence'],
  [/\bwho said (?:it|so|each)\b/i, 'where it comes from'],
  [/\bdoes not exist for\b/i, 'callers never see …'],
  [/\bserved in turn\b|\bin turn served\b/i, 'waiting callers take turns'],
  [/\bloses? nothing\b/i, 'say what happens: calls in progress finish'],
  [/\b(?:is|are|was|were) turned away\b|\bturns? away\b|\bsent away\b/i, 'is refused, is rejected'],
  [
    /\b(?:Redis|API|issuer|server|state) (?:is|was) away\b|\bwhile \w+ (?:is|are) away\b/i,
    'is down, cannot be reached',
  ],
  [/\bgoes along\b|\bgo along\b/i, 'is sent too'],
  [/\bthere to be known\b/i, 'for information'],
  [/\bnobody (?:knows|has|comes|calls|asked|needs)\b/i, 'say who or what is missing'],
  [/\bas it came\b|\bas they came\b/i, 'unchanged'],
  [/\bis to be had\b|\bto be had\b/i, 'is available'],
  [/\bno room of\b|\btakes no room\b/i, 'does not use up the connections of'],
  [/\bgives way\b/i, 'is closed, is dropped'],
  [/\bis a mistake\b|\bis none\b/i, 'is an error; there is none'],
  [/\bwhat speaks\b|\bspeaks for\b/i, 'say the reason'],
];
