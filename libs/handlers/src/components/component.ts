/** A part of the control plane that can be well or not. */
export interface ComponentCheck {
  /** Under which `componentstatuses` lists it. */
  readonly name: string;
  /** Throws, or rejects, when it is not well; the message is shown. */
  check(): void | Promise<void>;
}
