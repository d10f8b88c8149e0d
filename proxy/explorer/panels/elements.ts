// Elements of the page: finding them and making them. Text of the data is only ever set as text.

/** The element of the page with this id. */
export function part<Kind extends HTMLElement = HTMLElement>(id: string, kind?: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (element === null || (kind && !(element instanceof kind))) throw new Error(`the page has no such #${id}`);
  return element as Kind;
}

/** @param className empty for none */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...content: (string | Node)[]
) {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...content);
  return element;
}

export function makeButton(text: string, run: (event: MouseEvent) => void, className = '') {
  const button = make('button', className, text);
  button.type = 'button';
  button.addEventListener('click', run);
  return button;
}

/**
 * A button that copies: it says for a moment that it has.
 * @param text of the button
 * @param content what it copies
 */
export function makeCopyButton(text: string, content: () => string) {
  const button = makeButton(text, () => void run());
  const run = async () => {
    button.textContent = await copy(content());
    const restore = () => {
      button.textContent = text;
    };
    button.addEventListener('blur', restore, { once: true });
    button.addEventListener('pointerleave', restore, { once: true });
  };
  return button;
}

/** A list of names and values. */
export function makeFacts(facts: readonly (readonly [name: string, value: string | Node])[]) {
  return make('dl', 'facts', ...facts.flatMap(([name, value]) => [make('dt', '', name), make('dd', '', value)]));
}

/** Facts that open. */
export function makeDetails(summary: string, facts: Parameters<typeof makeFacts>[0], isOpen: boolean) {
  const details = make('details', '', make('summary', '', summary), makeFacts(facts));
  details.open = isOpen;
  return details;
}

export function makeLink(text: string, address: string) {
  const link = make('a', '', text);
  link.href = address;
  return link;
}

/** Says something to those who hear the page. */
export function announce(text: string) {
  part('announce').textContent = text;
}

/**
 * Copies a text, and says so to those who hear the page.
 * @returns what to say
 */
export async function copy(text: string): Promise<string> {
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Over plain HTTP, except on this machine, there is no clipboard; a selection can still be copied.
    const focused = document.activeElement;
    const area = make('textarea', 'unseen');
    area.value = text;
    document.body.append(area);
    area.select();
    isCopied = document.execCommand('copy');
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
  // A browser may not let this page copy.
  const said = isCopied ? 'Copied' : 'The browser refuses to copy';
  announce(said);
  return said;
}

/** Does the service want no token? The page says so in its first element. */
export function isPublicService() {
  return document.documentElement.dataset['audience'] === 'public';
}

/** Who gives tokens in the words of the service, as the page says in its first element; empty without. */
export function signInHelp() {
  return document.documentElement.dataset['signInHelp'] ?? '';
}

/** Who gives tokens, as the page says in its first element; none in development, or where nobody needs one. */
export function issuersOfService() {
  const text = document.documentElement.dataset['issuers'] ?? '';
  return text === '' ? [] : text.split('\n');
}
