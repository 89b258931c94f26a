import { text } from '../text/english.js';
import { Button } from './button.js';
import styles from './paging.module.css';

interface Props {
  /** From 1. */
  number: number;
  more: boolean;
  onPrevious: () => void;
  onNext: () => void;
}

/** Goes through the pages of a list; nothing where there is one page only. */
export function Paging({ number, more, onPrevious, onNext }: Props) {
  if (number === 1 && !more) return null;
  return (
    <nav className={styles.paging} aria-label={text.common.paging}>
      <Button small isDisabled={number === 1} onPress={onPrevious}>
        {text.common.previous}
      </Button>
      <span>{text.common.page(number)}</span>
      <Button small isDisabled={!more} onPress={onNext}>
        {text.common.next}
      </Button>
    </nav>
  );
}
