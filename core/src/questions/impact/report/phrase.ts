/** Words, and among them what is a name or a condition, which each notation shows in its own way. */
export type Phrase = readonly (string | { readonly name: string })[];

export function phrase(...parts: (string | { readonly name: string } | Phrase)[]): Phrase {
  return parts.flat();
}

/** `a`, `a and b`, `a, b and c`; more than `most` are counted. */
export function listed(items: readonly Phrase[], most = 5, last: 'and' | 'or' = 'and'): Phrase {
  const shown = items.length > most + 1 ? items.slice(0, most) : items;
  const rest = items.length - shown.length;
  const all = rest === 0 ? shown : [...shown, [`${amount(rest)} more`]];
  return all.flatMap((item, index) => {
    if (index === 0) return item;
    return [index === all.length - 1 ? ` ${last} ` : ', ', ...item];
  });
}

export function named(names: readonly string[], most?: number): Phrase {
  return listed(
    names.map((name) => [{ name }]),
    most,
  );
}

/** 36180 as `36,180`, alike on every machine. */
export function amount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

export function plural(count: number, noun: string): string {
  return `${amount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
