import { useEffect } from 'react';
import { text } from '../text/english.js';

/** Names the page in the window's title. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${text.product}`;
  }, [title]);
}
