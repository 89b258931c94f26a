import { text } from '../../text/english.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/code-block.js';
import { Dialog } from '../../ui/dialog.js';
import layout from '../../ui/layout.module.css';

export type Made = { secret: string } | { client_id: string; client_secret: string };

interface Props {
  made: Made;
  /** The owner of the secret, if that does not go without saying. */
  note?: string;
  onClose: () => void;
}

/** A new secret. It stays until the person says that it is stored: it cannot be shown again. */
export function MadeSecret({ made, note, onClose }: Props) {
  return (
    <Dialog title={text.settings.secretTitle} keep onClose={onClose}>
      {note !== undefined && <p>{note}</p>}
      <p>{text.settings.secretOnce}</p>
      {'client_id' in made && (
        <>
          <h3>{text.settings.clientId}</h3>
          <CodeBlock label={text.settings.clientId} code={made.client_id} />
        </>
      )}
      <h3>{text.settings.secret}</h3>
      <CodeBlock label={text.settings.secret} code={'client_id' in made ? made.client_secret : made.secret} />
      <div className={layout.buttons}>
        <Button kind="primary" onPress={onClose}>
          {text.settings.stored}
        </Button>
      </div>
    </Dialog>
  );
}
