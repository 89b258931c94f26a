import { useConditionWords } from '../api/condition-words.js';
import { Breakable } from './breakable.js';
import styles from './condition.module.css';

/** The most characters of a long condition that are shown in lists. */
const BRIEF_MAX = 90;

/** A condition in words with its text behind, or its text alone where there are no words for it. */
export function Condition({ text, brief = false }: { text: string; brief?: boolean }) {
  const words = useConditionWords(text);
  const shown = brief && text.length > BRIEF_MAX ? `${text.slice(0, BRIEF_MAX)}…` : text;
  const code = (
    <code className={words === undefined ? styles.code : styles.behind}>
      <Breakable text={shown} />
    </code>
  );
  if (words === undefined) return code;
  return (
    <span className={styles.condition}>
      <Breakable text={words} /> {code}
    </span>
  );
}
