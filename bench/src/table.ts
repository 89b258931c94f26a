export const fixed = (value: number, digits = 2): string => value.toFixed(digits);
export const count = (value: number): string => Math.round(value).toLocaleString('en');

export function table(title: string, header: string[], rows: string[][]): void {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |\n`;
  process.stdout.write(`\n### ${title}\n\n${line(header)}${line(header.map(() => '---'))}${rows.map(line).join('')}`);
}
