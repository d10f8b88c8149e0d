// Names and values.
import { type ComponentChildren, Fragment } from 'preact';

export type Fact = readonly [name: string, value: ComponentChildren];

export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
