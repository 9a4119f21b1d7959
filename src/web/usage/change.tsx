/** How a value of usage changed against the range compared with. */

/** How a value changed, such as +12%, with the value before on hover. */
export function Change(props: {
  now: number;
  before: number;
  show(value: number): string;
  isSparse: boolean;
}) {
  const { now, before, show, isSparse } = props;
  return (
    <span class="soft change" title={`${show(before)} before`}>
      {isSparse ? `${show(before)} before` : changeText(now, before)}
    </span>
  );
}

/** +12%, −40%, new, or no change */
function changeText(now: number, before: number): string {
  if (before === 0) return now === 0 ? "no change" : "new";
  const percent = Math.round(((now - before) / before) * 100);
  const size = Math.abs(percent).toLocaleString("en");
  return percent === 0 ? "no change" : `${percent > 0 ? "+" : "−"}${size}%`;
}
