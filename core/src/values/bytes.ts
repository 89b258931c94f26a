const UNITS = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const;

/** The bytes of a size such as `512MiB` or `1.5GiB`; undefined if the text is not a size. */
export function bytesOf(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(B|KiB|MiB|GiB)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Math.floor(Number(amount) * UNITS[unit as keyof typeof UNITS]);
}
