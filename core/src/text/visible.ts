/**
 * The text with everything escaped that a terminal or a browser would not show as it is: control characters, and the
 * invisible ones that turn or hide the text around them.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
