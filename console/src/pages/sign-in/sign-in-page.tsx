import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.js';
import { queryClient } from '../../api/query-client.js';
import { SESSION_KEY } from '../../api/session.js';
import styles from '../../shell/ended-session.module.css';
import { SignInWays } from '../../shell/sign-in-ways.js';
import { text } from '../../text/english.js';
import { Button } from '../../ui/button.js';
import { usePageSearch } from '../../ui/page-search.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { useTitle } from '../../ui/use-title.js';

/**
 * Redeems a one-time link when the person says so. Its token is behind `#`, and leaves the address and its history as
 * soon as it is read.
 */
export function SignInPage() {
  useTitle(text.signIn.title);
  const { problem } = usePageSearch();
  const [token] = useState(() => location.hash.slice(1));
  const navigate = useNavigate();
  useEffect(() => {
    if (token !== '') history.replaceState(history.state, '', location.pathname);
  }, [token]);
  const signIn = useMutation({
    mutationFn: () => client.signIn(token),
    onSuccess: (session) => {
      // Nothing that somebody else has seen in this tab is shown to the next person.
      queryClient.clear();
      queryClient.setQueryData(SESSION_KEY, session);
      void navigate({ to: '/', replace: true });
    },
  });
  return (
    <main className={styles.ended}>
      <h1>{text.signIn.title}</h1>
      {problem !== undefined && <p role="alert">{text.signIn.refused(problem)}</p>}
      {signIn.error && <ProblemNote error={signIn.error} />}
      {token === '' || signIn.error ? (
        <SignInWays />
      ) : (
        <>
          <p>{text.signIn.linkWaits}</p>
          <Button kind="primary" autoFocus isDisabled={signIn.isPending} onPress={() => signIn.mutate()}>
            {text.signIn.go}
          </Button>
        </>
      )}
      <Link to="/">{text.errors.toOverview}</Link>
    </main>
  );
}
