import styles from './code-block.module.css';
import { CopyButton } from './copy-button.js';
import { SaveButton } from './save-button.js';

interface Props {
  code: string;
  label: string;
  /** The name under which it can be saved. */
  file?: string;
}

/** Text to read, to copy, and perhaps to save. */
export function CodeBlock({ code, label, file }: Props) {
  return (
    <div className={styles.block}>
      <div className={styles.copy}>
        {file !== undefined && <SaveButton file={file} content={code} />}
        <CopyButton value={() => code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <figure tabIndex={0} aria-label={label}>
        <pre>{code}</pre>
      </figure>
    </div>
  );
}
