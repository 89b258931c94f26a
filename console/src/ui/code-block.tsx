import { useState } from 'react';
import { text } from '../text/english.js';
import { Button } from './button.js';
import styles from './code-block.module.css';

/** Text to read and to copy. */
export function CodeBlock({ code }: { code: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <pre tabIndex={0}>{code}</pre>
      <Button
        small
        className={styles.copy ?? ''}
        onPress={async () => {
          await navigator.clipboard.writeText(code);
          setCopied(true);
        }}
      >
        <span aria-live="polite">{copied ? text.common.copied : text.common.copy}</span>
      </Button>
    </div>
  );
}
