import styles from './code-block.module.css';
import { CopyButton } from './copy-button.js';

/** Text to read and to copy. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <section tabIndex={0} aria-label={label}>
        <pre>{code}</pre>
      </section>
      <div className={styles.copy}>
        <CopyButton value={() => code} />
      </div>
    </div>
  );
}
