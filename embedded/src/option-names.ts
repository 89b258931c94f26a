/** Options whose names are not those of the agent's variables. */
const RENAMED: Readonly<Record<string, string>> = { maxAge: 'maxAgeMs', pollInterval: 'pollIntervalMs' };

/** A text that names the agent's variables, with the names of options. */
export function inOptionNames(text: string): string {
  return text.replace(/\bSERVICE_([A-Z]+(?:_[A-Z]+)*)\b/g, (_, name: string) => {
    const option = name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return RENAMED[option] ?? option;
  });
}
