import { text } from '../text/english.js';
import { Button } from '../ui/button.js';
import styles from './search-opener.module.css';

export function SearchOpener({ onOpen }: { onOpen: () => void }) {
  return (
    <Button small className={styles.opener ?? ''} onPress={onOpen} aria-label={text.search.label}>
      <span>{text.search.open}</span>
      <span aria-hidden="true">/</span>
    </Button>
  );
}
