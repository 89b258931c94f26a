import { type InputHTMLAttributes, type ReactNode, useId } from 'react';
import styles from './field.module.css';

interface Props {
  label: string;
  hint?: ReactNode;
  fault?: string | undefined;
  children: (attributes: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ReactNode;
}

/** A label, something to fill in, and what to know of it. */
export function Field({ label, hint, fault, children }: Props) {
  const id = useId();
  const described = [fault && `${id}-fault`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': fault !== undefined,
      })}
      {fault !== undefined && (
        <p id={`${id}-fault`} className={styles.fault}>
          {fault}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}

type TextProps = Omit<Props, 'children'> &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> & {
    value: string;
    onChange: (value: string) => void;
  };

export function TextField({ label, hint, fault, onChange, ...input }: TextProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(attributes) => (
        <input
          autoComplete="off"
          spellCheck={false}
          {...input}
          {...attributes}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
