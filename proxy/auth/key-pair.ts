// A new key pair for signing tokens.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

/**
 * Makes an Ed25519 key pair (RFC 8032). The keys are read again from text: where V8 collects the garbage of a
 * generation while its key is exported as a JWK, Node 20 waits for ever for a lock that it holds itself (22 and later
 * do not).
 */
export function newKeyPair(): { privateKey: KeyObject; publicKey: KeyObject } {
  const generated = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
    publicKeyEncoding: { format: 'pem', type: 'spki' },
  });
  const privateKey = createPrivateKey(generated.privateKey);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}
