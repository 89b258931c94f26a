import { text } from '../text/english.js';
import { Button } from '../ui/button.js';
import styles from './ended-session.module.css';
import { SignInWays } from './sign-in-ways.js';

/** Stands in place of every page while nobody is signed in; the address stays, and so the page comes back. */
export function EndedSession({ onCheck }: { onCheck: () => void }) {
  return (
    <main className={styles.ended}>
      <h1>{text.signIn.title}</h1>
      <p>{text.session.endedWhy}</p>
      <SignInWays />
      <Button onPress={onCheck}>{text.signIn.check}</Button>
    </main>
  );
}
