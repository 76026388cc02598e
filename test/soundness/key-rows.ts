import type { Row } from "./corpus-row.ts";

/** Keys, primes and signatures, whose chance is a library's own. */
export const KEY_ROWS: readonly Row[] = [
  {
    name: "symmetric keys",
    top: "import crypto from 'node:crypto';",
    each: "const key = crypto.generateKeySync('hmac', { length: 64 }).export().toString('hex'); const other = await new Promise((r) => crypto.generateKey('aes', { length: 128 }, (_e: any, k: any) => r(k.export().toString('hex')))); return [key, other];",
    expected: "held",
  },
  {
    name: "symmetric keys of Web Crypto",
    each: "const aes: any = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt']); const hmac: any = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']); const hex = async (key: any) => Buffer.from(await crypto.subtle.exportKey('raw', key)).toString('hex'); return [await hex(aes), await hex(hmac), aes.usages, hmac.algorithm.length];",
    expected: "held",
  },
  {
    name: "a pair of keys",
    top: "import crypto from 'node:crypto';",
    each: "crypto.generateKeyPairSync('ed25519');",
    expected: { refused: "crypto.generateKeyPairSync" },
  },
  {
    name: "a pair of keys of Web Crypto",
    each: "await crypto.subtle.generateKey({ name: 'Ed25519' }, true, ['sign']);",
    expected: { refused: "crypto.subtle.generateKey of ED25519" },
  },
  {
    name: "a pair of keys to agree on one",
    top: "import crypto from 'node:crypto';",
    each: "crypto.createECDH('prime256v1').generateKeys();",
    expected: { refused: "crypto.ECDH.generateKeys" },
  },
  {
    name: "a prime",
    top: "import crypto from 'node:crypto';",
    each: "await new Promise((r) => crypto.generatePrime(32, r));",
    expected: { refused: "crypto.generatePrime" },
  },
  {
    name: "a signature with ECDSA",
    top: "import crypto from 'node:crypto'; const KEY = `-----BEGIN PRIVATE KEY-----\\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2\\nOF/2NxApJCzGCEDdfSp6VQO30hyhRANCAAQRWz+jn65BtOMvdyHKcvjBeBSDZH2r\\n1RTwjmYSi9R/zpBnuQ4EiMnCqfMPWiZqB4QdbAd0E7oH50VpuZ1P087G\\n-----END PRIVATE KEY-----`;",
    each: "return crypto.sign('sha256', Buffer.from('x'), KEY).toString('hex');",
    expected: { refused: "crypto.sign with ec" },
  },
  {
    name: "a signature with ECDSA, in parts",
    top: "import crypto from 'node:crypto'; const KEY = `-----BEGIN PRIVATE KEY-----\\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2\\nOF/2NxApJCzGCEDdfSp6VQO30hyhRANCAAQRWz+jn65BtOMvdyHKcvjBeBSDZH2r\\n1RTwjmYSi9R/zpBnuQ4EiMnCqfMPWiZqB4QdbAd0E7oH50VpuZ1P087G\\n-----END PRIVATE KEY-----`;",
    each: "return crypto.createSign('SHA256').update('x').sign(KEY, 'hex');",
    expected: { refused: "crypto.Sign.sign with ec" },
  },
];
