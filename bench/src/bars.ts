/** The limit that a figure is compared with. */
interface Bar {
  what: string;
  figure: number;
  limit: number;
  direction: 'at most' | 'at least';
  unit: string;
}

const bars: Bar[] = [];

/** Holds a figure against the most or the least that it may be; `unit` follows both. */
export function bar(what: string, figure: number, direction: Bar['direction'], limit: number, unit = ''): void {
  bars.push({ what, figure, limit, direction, unit });
}

/** A row for each bar: what, figure, limit, and whether it is met. */
export function barRows(): string[][] {
  return bars.map(({ what, figure, limit, direction, unit }) => {
    const met = direction === 'at most' ? figure <= limit : figure >= limit;
    return [what, `${shown(figure)}${unit}`, `${direction} ${shown(limit)}${unit}`, met ? 'met' : 'MISSED'];
  });
}

function shown(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 100 ? 2 : 0 });
}
