import { type ReactNode, useEffect, useRef } from 'react';
import { text } from '../text/english.js';
import { Button } from '../ui/button.js';
import styles from './not-loaded.module.css';

interface Props {
  /** Without it, what could not be loaded hides the page, and so does this. */
  onClose?: () => void;
  /** The message, and how to try again. */
  children: ReactNode;
}

/** Takes the place of a dialog whose code could not be loaded; it needs no other code itself. */
export function NotLoaded({ onClose, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <div className={`${styles.over} ${onClose === undefined ? styles.opaque : ''}`}>
      <div
        ref={box}
        role="dialog"
        aria-label={text.errors.notLoaded}
        tabIndex={-1}
        className={styles.box}
        onKeyDown={({ key }) => key === 'Escape' && onClose?.()}
      >
        {children}
        {onClose !== undefined && (
          <Button small onPress={onClose}>
            {text.keys.close}
          </Button>
        )}
      </div>
    </div>
  );
}
