import { ServiceError } from '@authz-service/sdk/service-error';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { keepDraftOf } from '../api/draft.js';
import { queryClient } from '../api/query-client.js';
import { ownerOf, SESSION_KEY, sessionQuery } from '../api/session.js';
import { text } from '../text/english.js';
import { Button } from '../ui/button.js';
import { lazily } from '../ui/lazily.js';
import { ProblemNote } from '../ui/problem-note.js';
import { EndedSession } from './ended-session.js';
import { Navigation } from './navigation.js';
import { NotLoaded } from './not-loaded.js';
import { SearchOpener } from './search-opener.js';
import styles from './shell.module.css';
import { useKeys } from './use-keys.js';

const SearchDialog = lazily(async () => (await import('./search-dialog.js')).default, NotLoaded);
const EndedOverPage = lazily(async () => (await import('./ended-over-page.js')).EndedOverPage, NotLoaded);
const KeysDialog = lazily(async () => (await import('./keys-dialog.js')).default, NotLoaded);

/** The frame around every page of somebody who is signed in. */
export function Shell() {
  const session = useQuery(sessionQuery);
  const [dialog, setDialog] = useState<'search' | 'keys'>();
  const [menu, setMenu] = useState(false);
  const address = useRouterState({ select: ({ location }) => location.href });
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address closes the menu.
  useEffect(() => setMenu(false), [address]);
  const owner = session.data && ownerOf(session.data);
  useLayoutEffect(() => {
    if (owner !== undefined) keepDraftOf(owner);
  }, [owner]);
  useTitleAnnounced(path);
  const early = useRef('');
  const openSearch = () => {
    early.current = '';
    setDialog('search');
  };
  useKeys({
    search: openSearch,
    help: () => setDialog('keys'),
    early:
      dialog === 'search'
        ? (letter) => {
            early.current += letter;
          }
        : undefined,
  });

  const ended = session.error instanceof ServiceError && session.error.code === 'unauthorized';
  useEffect(() => {
    // What was refused meanwhile is asked again.
    if (ended)
      return () => void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  }, [ended]);
  if (ended && session.data === undefined) return <EndedSession onCheck={() => session.refetch()} />;
  if (session.data === undefined) {
    return (
      <main className={styles.waiting}>
        {session.error ? (
          <ProblemNote error={session.error} retry={() => session.refetch()} />
        ) : (
          <p role="status">{text.session.reading}</p>
        )}
      </main>
    );
  }
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {text.navigation.skip}
      </a>
      <header className={styles.bar}>
        <Button kind="quiet" small aria-expanded={menu} aria-controls="navigation" onPress={() => setMenu(!menu)}>
          <span aria-hidden="true">☰</span>
          <span className={styles.hidden}>{menu ? text.navigation.close : text.navigation.open}</span>
        </Button>
        <span className={styles.tenant}>{session.data.tenant.name}</span>
        <SearchOpener onOpen={openSearch} />
      </header>
      <Navigation session={session.data} open={menu} onSearch={openSearch} onKeys={() => setDialog('keys')} />
      <main id="content" tabIndex={-1} className={styles.content}>
        <Outlet />
      </main>
      {dialog === 'search' && <SearchDialog typed={early} onClose={() => setDialog(undefined)} />}
      {dialog === 'keys' && <KeysDialog onClose={() => setDialog(undefined)} />}
      {ended && <EndedOverPage onCheck={() => session.refetch()} />}
    </div>
  );
}

/** Moves the focus to a new page, so that a screen reader says where it is. */
function useTitleAnnounced(path: string): void {
  const [shown, setShown] = useState(path);
  useEffect(() => {
    if (shown === path) return;
    setShown(path);
    document.getElementById('content')?.focus({ preventScroll: true });
  }, [path, shown]);
}
