// What is said above the panels.
import { page } from '../state/page.ts';

export function MessageBox() {
  const message = page.message.value;
  const { kind = '', title = '', detail = '', code = '', links = [], action } = message ?? {};
  return (
    <div id="message" class={`message ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      {message && <strong>{title}</strong>}
      {detail !== '' && <p>{detail}</p>}
      {code !== '' && <code>{code}</code>}
      {links.map(({ text, href }) => (
        <p key={href}>
          <a href={href}>{text}</a>
        </p>
      ))}
      {action && (
        <button type="button" onClick={action.run}>
          {action.label}
        </button>
      )}
    </div>
  );
}
