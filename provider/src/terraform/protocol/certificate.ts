/**
 * A self-signed certificate for one run of the plugin, written as DER by hand (RFC 5280 section 4.1), because a library
 * takes longer than the rest of the start.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const VALID_MS = 7 * 24 * 3600 * 1000;
/** Both ends have the same clock; the margin covers the fraction of a second that the encoding drops. */
const BACKDATE_MS = 30_000;

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  if (length < 0x100) return Buffer.concat([Buffer.from([tag, 0x81, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const bits = (...parts: Uint8Array[]) => der(0x03, Buffer.from([0]), ...parts);
const octets = (...parts: Uint8Array[]) => der(0x04, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const moment = (ms: number) =>
  der(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));

/** RFC 5480 section 2. */
const P_256_KEY = sequence(oid('2a8648ce3d0201'), oid('2a8648ce3d030107'));
const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');
const SUBJECT_ALT_NAME = oid('551d11');

/** `pem` and `key` are what TLS serves; `der` is what the handshake line tells Terraform to trust. */
export interface Certificate {
  der: Buffer;
  pem: string;
  key: string;
}

/** A certificate for the name `localhost`, the only one that Terraform accepts. */
export function makeCertificate(nowMs: number): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('localhost')))));
  const extensions = sequence(sequence(SUBJECT_ALT_NAME, octets(sequence(der(0x82, Buffer.from('localhost'))))));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ECDSA_WITH_SHA256,
    name,
    sequence(moment(nowMs - BACKDATE_MS), moment(nowMs + VALID_MS)),
    name,
    sequence(P_256_KEY, bits(pointOf(publicKey))),
    der(0xa3, extensions),
  );
  const certificate = sequence(body, ECDSA_WITH_SHA256, bits(sign('sha256', body, privateKey)));
  const lines = (certificate.toString('base64').match(/.{1,64}/g) ?? []).join('\n');
  return {
    der: certificate,
    pem: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** The uncompressed point of the public key. JWK (RFC 7518 section 6.2) is the fastest of the export formats. */
function pointOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
}

/** The one certificate in a PEM text (RFC 7468), as DER. */
export function derOf(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[A-Z ]+-----/g, ''), 'base64');
}
