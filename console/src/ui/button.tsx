import { Button as AriaButton, type ButtonProps } from 'react-aria-components/Button';
import styles from './button.module.css';

interface Props extends ButtonProps {
  kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  small?: boolean;
}

export function Button({ kind = 'plain', small = false, className, ...props }: Props) {
  const names = [styles.button, styles[kind], small && styles.small, typeof className === 'string' && className];
  return <AriaButton {...props} className={names.filter(Boolean).join(' ')} />;
}
