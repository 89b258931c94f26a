export function plainEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** The text with the line ends that most lines before have. */
export function withEndsOf(before: string, text: string): string {
  const [returns, lines] = [before.split('\r\n').length - 1, before.split('\n').length - 1];
  return returns * 2 > lines ? text.replaceAll('\n', '\r\n') : text;
}
