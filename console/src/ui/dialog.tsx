import type { ReactNode } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import styles from './dialog.module.css';

interface Props {
  title: string;
  /** Its title is only for screen readers. */
  untitled?: boolean;
  wide?: boolean;
  onClose: () => void;
  /** A click beside it does not close it: what it shows would be lost. */
  keep?: boolean;
  /** Nothing of what is below it can be seen. */
  opaque?: boolean;
  children: ReactNode;
}

export function Dialog({
  title,
  untitled = false,
  wide = false,
  keep = false,
  opaque = false,
  onClose,
  children,
}: Props) {
  return (
    <ModalOverlay
      isOpen
      isDismissable={!keep}
      isKeyboardDismissDisabled={keep}
      onOpenChange={(open) => open || onClose()}
      className={`${styles.overlay} ${opaque ? styles.opaque : ''}`}
    >
      <Modal className={`${styles.modal} ${wide ? styles.wide : ''}`}>
        <AriaDialog className={styles.dialog ?? ''}>
          <Heading slot="title" level={2} className={untitled ? (styles.hidden ?? '') : ''}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
