// A button that copies a text.
import { useSignal } from '@preact/signals';
import { copy } from './copy-text.ts';

interface Props {
  text: string;
  content: () => string;
  isOff?: boolean;
  /** What it copies, for those who hear the page, where the text does not say it. */
  label?: string;
}

/** It says for a moment that it has. */
export function CopyButton({ text, content, isOff, label }: Props) {
  const said = useSignal('');
  const run = async () => {
    said.value = await copy(content());
  };
  const restore = () => {
    said.value = '';
  };
  return (
    <button
      type="button"
      disabled={isOff}
      aria-label={said.value === '' ? label : undefined}
      onClick={run}
      onBlur={restore}
      onPointerLeave={restore}
    >
      {said.value || text}
    </button>
  );
}
