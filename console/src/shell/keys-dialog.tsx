import { text } from '../text/english.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import styles from './keys-dialog.module.css';
import { PAGES } from './pages.js';

/** The keys that work on every page. */
export default function KeysDialog({ onClose }: { onClose: () => void }) {
  const keys = [
    { keys: ['/'], does: text.keys.search },
    { keys: ['?'], does: text.keys.help },
    ...PAGES.map(({ key, label }) => ({ keys: ['g', key], does: text.keys.go(label) })),
  ];
  return (
    <Dialog title={text.keys.title} onClose={onClose}>
      <dl className={styles.keys}>
        {keys.map(({ keys: pressed, does }) => (
          <div key={does}>
            <dt>
              {pressed.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div>
        <Button onPress={onClose}>{text.keys.close}</Button>
      </div>
    </Dialog>
  );
}
