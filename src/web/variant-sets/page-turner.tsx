/** @jsxImportSource preact */
/** The pages of a large variant set. */
import { pageParameter, turnField } from "./parameters.ts";

interface PagesProps {
  page: number;
  pages: number;
}

const numbersTo = (pages: number): number[] => Array.from({ length: pages }, (_, index) => index + 1);

/** Buttons of the form, so what is picked and written stays, also without scripts. */
export const PageTurner = ({ page, pages }: PagesProps) => (
  <nav class="set-pages" aria-label="Pages of the set">
    {numbersTo(pages).map((number) => (
      <button
        key={number}
        type="submit"
        name={turnField}
        value={number}
        formNoValidate
        aria-label={`Page ${number}`}
        aria-current={number === page ? "page" : undefined}
      >
        {number}
      </button>
    ))}
  </nav>
);

/** For who picks nothing. */
export const PageLinks = ({ page, pages }: PagesProps) => (
  <nav class="set-pages" aria-label="Pages of the set">
    {numbersTo(pages).map((number) => (
      <a
        key={number}
        class="button"
        href={`?${pageParameter}=${number}`}
        aria-label={`Page ${number}`}
        aria-current={number === page ? "page" : undefined}
      >
        {number}
      </a>
    ))}
  </nav>
);
