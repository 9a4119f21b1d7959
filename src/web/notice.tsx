import type { ComponentChildren } from "preact";

interface NoticeProps {
  text?: ComponentChildren;
  isGood?: boolean;
}

/** What a form led to, or why it was refused; nothing without a text. */
export const Notice = ({ text, isGood = false }: NoticeProps) =>
  text ? (
    <p class={isGood ? "notice good" : "notice"} role={isGood ? "status" : "alert"}>
      {text}
    </p>
  ) : null;
