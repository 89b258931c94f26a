import type { OwnSession } from '@authz-service/sdk/console-client';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../api/client.js';
import { queryClient } from '../api/query-client.js';
import { text } from '../text/english.js';
import { Button } from '../ui/button.js';
import styles from './navigation.module.css';
import { PAGES } from './pages.js';
import { SearchOpener } from './search-opener.js';
import { chooseTheme, chosenTheme, THEMES, type Theme } from './theme.js';

interface Props {
  session: OwnSession;
  open: boolean;
  onSearch: () => void;
  onKeys: () => void;
}

export function Navigation({ session, open, onSearch, onKeys }: Props) {
  const [theme, setTheme] = useState(chosenTheme);
  const signOut = useMutation({
    mutationFn: () => client.signOut(),
    // Nothing that this person has seen stays in memory.
    onSuccess: () => queryClient.resetQueries(),
  });
  return (
    <div id="navigation" className={open ? `${styles.side} ${styles.open}` : styles.side}>
      <p className={styles.product}>
        <span className={styles.mark} aria-hidden="true" />
        <span>
          {text.product}
          <span className={styles.tenant}>{session.tenant.name}</span>
        </span>
      </p>
      <div className={styles.search}>
        <SearchOpener onOpen={onSearch} />
      </div>
      <nav aria-label={text.navigation.label}>
        <ul>
          {PAGES.map(({ to, label }) => (
            <li key={to}>
              <Link to={to} className={styles.page} activeOptions={{ exact: true, includeSearch: false }}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <section className={styles.account} aria-label={text.session.account}>
        <p className={styles.person} title={text.session.signedInAs(session.person.name)}>
          {session.person.name}
        </p>
        <label className={styles.theme}>
          {text.theme.label}
          <select
            value={theme}
            onChange={({ target }) => {
              chooseTheme(target.value as Theme);
              setTheme(chosenTheme());
            }}
          >
            {THEMES.map((one) => (
              <option key={one} value={one}>
                {text.theme[one]}
              </option>
            ))}
          </select>
        </label>
        <div className={styles.actions}>
          <Button small kind="quiet" onPress={onKeys}>
            {text.keys.title} <span aria-hidden="true">?</span>
          </Button>
          <Button small kind="quiet" isDisabled={signOut.isPending} onPress={() => signOut.mutate()}>
            {text.session.signOut}
          </Button>
        </div>
      </section>
    </div>
  );
}
