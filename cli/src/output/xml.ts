const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' };

/** Text for an attribute or an element; characters that XML cannot hold become question marks. */
export function xml(text: string): string {
  return text
    .replace(/(?![\t\n\r])\p{Cc}|[\p{Cs}\uFFFE\uFFFF]/gu, '?')
    .replace(/[&<>"\n]/g, (character) => ENTITIES[character] ?? character);
}
