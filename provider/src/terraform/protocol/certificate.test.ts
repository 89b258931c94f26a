import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { derOf, makeCertificate } from './certificate.js';

describe('the certificate of a run', () => {
  const now = Date.UTC(2026, 5, 1, 12);
  const made = makeCertificate(now);
  const certificate = new X509Certificate(made.pem);

  it('names localhost and is valid from just before now', () => {
    expect(certificate.subjectAltName).toBe('DNS:localhost');
    expect(Date.parse(certificate.validFrom)).toBe(now - 30_000);
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(now);
  });

  it('is signed by its own key, which belongs to it', () => {
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(made.key))).toBe(true);
    expect(certificate.raw.equals(made.der)).toBe(true);
    expect(derOf(made.pem).equals(made.der)).toBe(true);
  });

  it('differs from one run to the next', () => {
    expect(new X509Certificate(makeCertificate(now).pem).serialNumber).not.toBe(certificate.serialNumber);
  });
});
