// A text whose addresses are links.
import type { ComponentChildren } from 'preact';

/** An address in the text of an attribution, also one without its scheme; not the punctuation after it. */
const ADDRESS =
  /((?:https?:\/\/|(?<=[\s(]))(?:[\w-]+\.)+(?:com|org|net|int|info|edu|gov|[a-z]{2})\b(?:\/[^\s<>"')\]]*[^\s<>"')\].,;:])?)/;

export function LinkedText({ text }: { text: string }) {
  return <>{text.split(ADDRESS).map((piece, i) => (i % 2 === 0 ? piece : <Address key={i} text={piece} />))}</>;
}

/** A link to another site. */
export function OuterLink({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a href={href} rel="noreferrer" target="_blank">
      {children}
    </a>
  );
}

/** @param props.text an address, perhaps without its scheme */
function Address({ text }: { text: string }) {
  const address = text.startsWith('http') ? text : `https://${text}`;
  return <OuterLink href={address}>{address.replace(/^https?:\/\/(www\.)?|\/$/g, '')}</OuterLink>;
}
