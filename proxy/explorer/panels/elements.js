// Elements of the page: finding them and making them. Text of the data is only ever set as text.

/**
 * The element of the page with this id.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @param {new () => Kind} [kind]
 */
export function part(id, kind) {
  const element = document.getElementById(id);
  if (element === null || (kind && !(element instanceof kind))) throw new Error(`the page has no such #${id}`);
  return /** @type {Kind} */ (element);
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} className empty for none
 * @param {...(string | Node)} content
 */
export function make(tag, className, ...content) {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...content);
  return element;
}

/**
 * @param {string} text
 * @param {(event: MouseEvent) => void} run
 * @param {string} [className]
 */
export function makeButton(text, run, className = '') {
  const button = make('button', className, text);
  button.type = 'button';
  button.addEventListener('click', run);
  return button;
}

/**
 * A button that copies: it says for a moment that it has.
 * @param {string} text of the button
 * @param {() => string} content what it copies
 */
export function makeCopyButton(text, content) {
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

/**
 * A list of names and values.
 * @param {readonly (readonly [name: string, value: string | Node])[]} facts
 */
export function makeFacts(facts) {
  return make('dl', 'facts', ...facts.flatMap(([name, value]) => [make('dt', '', name), make('dd', '', value)]));
}

/**
 * Facts that open.
 * @param {string} summary
 * @param {Parameters<typeof makeFacts>[0]} facts
 * @param {boolean} isOpen
 */
export function makeDetails(summary, facts, isOpen) {
  const details = make('details', '', make('summary', '', summary), makeFacts(facts));
  details.open = isOpen;
  return details;
}

/**
 * @param {string} text
 * @param {string} address
 */
export function makeLink(text, address) {
  const link = make('a', '', text);
  link.href = address;
  return link;
}

/**
 * Says something to those who hear the page.
 * @param {string} text
 */
export function announce(text) {
  part('announce').textContent = text;
}

/**
 * Copies a text, and says so to those who hear the page.
 * @param {string} text
 * @returns {Promise<string>} what to say
 */
export async function copy(text) {
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
