// The card of a table: what was read and how, which units it has, and what could not be found.
import type { ComponentChildren } from 'preact';
import { count as figures } from '../api/texts.ts';
import { CLASSES, type Kind, type Reading } from './classes.ts';
import type { Choice, NamedRows, Problem } from './matching.ts';
import type { ReadTable } from './messages.ts';
import type { DecimalSign } from './numbers.ts';
import type { ShownTable, TableActions, TableState } from './table.tsx';
import { shownText } from './values.ts';

type Props = TableActions & { state: TableState };

const SEPARATORS: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

/** What is said of rows that are not on the map. */
const PROBLEMS: Readonly<Record<Problem, string>> = {
  none: 'No unit found',
  several: 'Several units found',
  above: 'A unit of a level above',
  twice: 'A unit for the second time: its first row counts',
  'no number': 'A value that is no number',
};

export function Card({ state: { step, isComing, fault, shown }, ...actions }: Props) {
  return (
    <div class="table-card">
      <p class="note" role="status">
        {step}
      </p>
      {isComing && (
        <div class="actions">
          <button type="button" onClick={() => actions.stop()}>
            Stop
          </button>
        </div>
      )}
      {fault !== '' && (
        <div class="message error" role="alert">
          <strong>This is not shown</strong>
          <p>{fault}</p>
        </div>
      )}
      {shown && <Shown shown={shown} {...actions} />}
    </div>
  );
}

function Shown({ shown, ...actions }: TableActions & { shown: ShownTable }) {
  const { file, table } = shown;
  const { rows, encoding, separator, found, units, level, within, problems } = table;
  const of = within === undefined ? `level ${level}` : `level ${level} in ${within.name}`;
  return (
    <>
      <h3>{file.name}</h3>
      <p>{`${figures(found)} of the ${figures(units)} units of ${of} have a row.`}</p>
      <p class="note">
        {`${figures(rows)} rows, read as ${encoding.toUpperCase()} with ${SEPARATORS[separator] ?? separator} between columns.`}
      </p>
      <div class="actions">
        <button type="button" onClick={() => actions.open(table)}>
          {within === undefined ? `List level ${level}` : `Open ${within.name}`}
        </button>
        {actions.hasMap() && (
          <button type="button" onClick={() => actions.savePicture()}>
            Save PNG
          </button>
        )}
        <button type="button" onClick={() => actions.saveUnits(shown)}>
          Save GeoJSON
        </button>
        <button type="button" onClick={() => actions.remove()}>
          Remove the table
        </button>
      </div>
      <Columns table={table} change={actions.change} />
      <Values table={table} change={actions.change} />
      {Object.entries(PROBLEMS).map(([kind, text]) => {
        const some = problems[kind as Problem];
        return some && <Rows key={kind} rows={some} text={text} />;
      })}
    </>
  );
}

type Changing = { table: ReadTable } & Pick<TableActions, 'change'>;

/** Which columns are read. */
function Columns({ table, change }: Changing) {
  const { header, choice, level, levels, reading } = table;
  const [own, above] = choice.units.toReversed();
  const column = own?.column ?? 0;
  const nearest = above?.level ?? levels.findLast((other) => other < level);
  const names = header.map((name, number) => [String(number), shownText(name)] as const);
  const withUnits = (...units: Choice['units']) => change({ choice: { ...choice, units }, reading });
  return (
    <>
      <Select
        label="Units"
        value={String(column)}
        options={names}
        onChange={(chosen) => withUnits({ level, column: Number(chosen) })}
      />
      <Select
        label="Level of the units"
        value={String(level)}
        options={levels.map((other) => [String(other), String(other)])}
        onChange={(chosen) => withUnits({ level: levels.find((other) => String(other) === chosen) ?? level, column })}
      />
      {nearest !== undefined && (
        <Select
          label={`Inside of, level ${nearest}`}
          value={above === undefined ? '' : String(above.column)}
          options={[['', 'not given'], ...names]}
          onChange={(chosen) =>
            withUnits(...(chosen === '' ? [] : [{ level: nearest, column: Number(chosen) }]), { level, column })
          }
        />
      )}
      <Select
        label="Values"
        value={String(choice.value)}
        options={names}
        onChange={(chosen) =>
          change({ choice: { ...choice, value: Number(chosen) }, reading: { count: reading.count } })
        }
      />
    </>
  );
}

/** How values are read, and what the first ones are. */
function Values({ table, change }: Changing) {
  const { kind, sign, classes, read, choice } = table;
  const reading = table.reading;
  const set = (other: Partial<Reading>) => change({ choice, reading: { ...reading, kind, sign, ...other } });
  const counts = Array.from({ length: CLASSES.most - CLASSES.least + 1 }, (_, i) => String(CLASSES.least + i));
  return (
    <>
      <Select
        label="Values are"
        value={kind}
        options={[
          ['numbers', 'numbers'],
          ['classes', 'classes'],
        ]}
        onChange={(chosen) => set({ kind: chosen as Kind })}
      />
      {kind === 'numbers' && (
        <>
          <Select
            label="Decimal sign"
            value={sign}
            options={[
              ['.', 'point: 1,234.5'],
              [',', 'comma: 1.234,5'],
            ]}
            onChange={(chosen) => set({ sign: chosen as DecimalSign })}
          />
          <Select
            label="Number of classes"
            value={String(reading.count)}
            options={counts.map((count) => [count, count])}
            onChange={(count) => set({ count: Number(count) })}
          />
          <p class="note">
            {`The first values are read as ${read.map(({ text, number }) => `${text} → ${number ?? 'no number'}`).join('; ')}.`}
          </p>
        </>
      )}
      <table>
        <caption class="unseen">Classes</caption>
        <thead>
          <tr>
            <th scope="col">Class</th>
            <th scope="col">Units</th>
          </tr>
        </thead>
        <tbody>
          {classes.map(({ text, units }, i) => (
            <tr key={i}>
              <td>{text}</td>
              <td>{figures(units)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Rows({ rows: { count, rows }, text }: { rows: NamedRows; text: string }) {
  return (
    <details>
      <summary>{`${text} (${figures(count)} ${count === 1 ? 'row' : 'rows'})`}</summary>
      <ul class="table-rows">
        {rows.map(({ line, text: said, note }) => (
          <li key={line}>{`line ${line}: ${said}${note && ` (${note})`}`}</li>
        ))}
        {count > rows.length && <li>{`and ${figures(count - rows.length)} more`}</li>}
      </ul>
    </details>
  );
}

type SelectProps = {
  label: ComponentChildren;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
};

function Select({ label, value, options, onChange }: SelectProps) {
  return (
    <label class="table-choice">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([own, text]) => (
          <option key={own} value={own}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
