import { useState } from 'react';
import { text } from '../text/english.js';
import { Button } from './button.js';

interface Props {
  value: () => string;
  label?: string;
  copied?: string;
}

export function CopyButton({ value, label = text.common.copy, copied = text.common.copied }: Props) {
  const [done, setDone] = useState(false);
  return (
    <Button
      small
      onPress={async () => {
        await navigator.clipboard.writeText(value());
        setDone(true);
      }}
    >
      <span aria-live="polite">{done ? copied : label}</span>
    </Button>
  );
}
