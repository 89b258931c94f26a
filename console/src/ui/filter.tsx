import { useEffect, useState } from 'react';
import styles from './filter.module.css';

interface FilterProps {
  label: string;
  hint?: string;
  value: string;
  onChange: (value: string) => void;
}

/** A field whose text goes into the address at each key; the text stays the person's while the address follows. */
export function Filter({ label, hint, value, onChange }: FilterProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <label className={styles.filter}>
      <span>{label}</span>
      <input
        type="search"
        placeholder={hint}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          onChange(target.value);
        }}
      />
    </label>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  /** Values and their texts. */
  choices: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}

/** One of a few values. */
export function FilterChoice({ label, value, choices, onChange }: ChoiceProps) {
  return (
    <label className={styles.filter}>
      <span>{label}</span>
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {choices.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
