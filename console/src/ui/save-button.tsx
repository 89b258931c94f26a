import { text } from '../text/english.js';
import { Button } from './button.js';

/** Saves text as a file. */
export function SaveButton({ file, content }: { file: string; content: string }) {
  const save = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([content]));
    link.download = file;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <Button small onPress={save}>
      {text.common.saveAs(file)}
    </Button>
  );
}
