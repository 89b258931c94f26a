import { text } from '../text/english.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import layout from '../ui/layout.module.css';
import { SignInWays } from './sign-in-ways.js';

/** Hides the page while nobody is signed in, and keeps what is typed there. */
export function EndedOverPage({ onCheck }: { onCheck: () => void }) {
  return (
    <Dialog title={text.signIn.title} keep opaque onClose={() => {}}>
      <p>{text.session.endedHere}</p>
      <SignInWays newTab />
      <div className={layout.buttons}>
        <Button kind="primary" onPress={onCheck}>
          {text.signIn.check}
        </Button>
      </div>
    </Dialog>
  );
}
