import { visible } from './visible.js';

/** The text as code within a sentence; whatever Markdown or HTML could read in it is written as a character reference. */
export function markdownCode(text: string, charactersMax = 100): string {
  const cut = text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
  const escaped = visible(cut).replace(/[^\p{L}\p{N} ._/-]/gu, (character) => `&#${character.codePointAt(0)};`);
  return `<code>${escaped}</code>`;
}

/** The text as words in which Markdown and HTML find nothing of theirs. */
export function markdownText(text: string): string {
  return visible(text).replace(/[<>&*_`[\]|\\#~@]/g, (character) => `&#${character.codePointAt(0)};`);
}
