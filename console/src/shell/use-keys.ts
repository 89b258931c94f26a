import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { PAGES } from './pages.js';

interface Keys {
  search: () => void;
  help: () => void;
  /** Takes letters typed after `/` while the search is still loading; undefined where it is not opening. */
  early: ((letter: string) => void) | undefined;
}

/** The keys that work on every page: `/`, `?`, and `g` with the letter of a page. */
export function useKeys({ search, help, early }: Keys): void {
  const navigate = useNavigate();
  const going = useRef(false);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      if (early !== undefined) {
        if (event.key.length !== 1) return;
        early(event.key);
        event.preventDefault();
        return;
      }
      const page = going.current ? PAGES.find(({ key }) => key === event.key) : undefined;
      going.current = event.key === 'g';
      if (page !== undefined) void navigate({ to: page.to });
      else if (event.key === '/') search();
      else if (event.key === '?') help();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [navigate, search, help, early]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
