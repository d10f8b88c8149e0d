// A button that copies a text.
import { useSignal } from '@preact/signals';
import { copy } from './copy-text.ts';

/** It says for a moment that it has. */
export function CopyButton({ text, content, isOff }: { text: string; content: () => string; isOff?: boolean }) {
  const said = useSignal('');
  const run = async () => {
    said.value = await copy(content());
  };
  const restore = () => {
    said.value = '';
  };
  return (
    <button type="button" disabled={isOff} onClick={run} onBlur={restore} onPointerLeave={restore}>
      {said.value || text}
    </button>
  );
}
