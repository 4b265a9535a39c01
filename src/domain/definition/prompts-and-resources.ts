// Prompts and resources of a domain file, checked: every {{argument}} is declared, every message has text.

import type { PromptSpec, ResourceSpec } from '../../endpoint/model.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { hint } from '../../endpoint/suggest.ts';
import { omitUndefined } from '../../endpoint/untrusted.ts';
import type { DomainDefinition, PromptDefinition } from './definition-types.ts';

type Path = readonly (string | number)[];

/** `placeOf`: file, line and field of a path. */
export function buildPromptSpecs(
  declarations: DomainDefinition['prompts'],
  placeOf: (path: Path) => string,
  problems: Problem[],
): PromptSpec[] {
  return Object.entries(declarations ?? {}).map(([name, prompt]) =>
    buildPrompt(name, prompt, ['prompts', name], placeOf, problems),
  );
}

function buildPrompt(
  name: string,
  declaration: PromptDefinition,
  at: Path,
  placeOf: (path: Path) => string,
  problems: Problem[],
): PromptSpec {
  const { arguments: about = {}, text, title, description } = declaration;
  const names = Object.keys(about);
  if ((text === undefined) === (declaration.messages === undefined)) {
    problems.push({ path: at, message: 'needs either text (one message of the user) or messages' });
  }
  const drafts = declaration.messages ?? (text === undefined ? [] : [{ text }]);
  const messages = drafts.map((message, index): PromptSpec['messages'][number] => {
    const path = declaration.messages === undefined ? [...at, 'text'] : [...at, 'messages', index];
    if ((message.text === undefined) === (message.resource === undefined)) {
      problems.push({ path, message: 'needs either text or resource' });
    }
    for (const [, inner] of `${message.text ?? ''}${message.resource ?? ''}`.matchAll(/\{\{([^{}]*)\}\}/g)) {
      const argument = inner!.trim();
      const fix = `uses {{${argument}}}, which is not an argument of this prompt; ${hint(argument, names)}`;
      if (!names.includes(argument)) problems.push({ path, message: fix });
    }
    const { role = 'user', resource } = message;
    const place = resource === undefined ? undefined : placeOf([...path, 'resource']);
    return { role, ...omitUndefined({ text: message.text, resource, place }) };
  });
  return {
    name,
    ...omitUndefined({ title, description }),
    arguments: Object.entries(about).map(([argument, { required = false, description, values }]) => ({
      name: argument,
      required,
      ...omitUndefined({ description, values }),
    })),
    messages,
  };
}

/** The loader has already replaced `file` by `text`; this function reads no files. */
export function buildResourceSpecs(declarations: DomainDefinition['resources'], problems: Problem[]): ResourceSpec[] {
  return Object.entries(declarations ?? {}).map(([uri, resource]): ResourceSpec => {
    if (resource.text === undefined) {
      problems.push({ path: ['resources', uri], message: 'needs text, or file: a path beside the domain file' });
    }
    return {
      uri,
      name: resource.name,
      mimeType: resource.mimeType ?? 'text/markdown',
      text: resource.text ?? '',
      ...omitUndefined({ title: resource.title, description: resource.description }),
    };
  });
}
