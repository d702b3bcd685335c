import {
  Flex,
  FormGroup,
  FormHelperText,
  HelperText,
  HelperTextItem,
  NumberInput,
} from "@patternfly/react-core";
import type { Input } from "@vmrules/vmrules/react";
import type { FormEvent, ReactNode } from "react";
import { type Control, useController } from "react-hook-form";
import type { Values } from "./values.js";

interface Props {
  control: Control<Values>;
  name: "cores" | "sockets" | "threads" | "memory";
  label: string;
  input: Input;
  /** unit is what 1 in the input stands for. */
  unit?: number;
  children?: ReactNode;
}

/** NumberField is a number with its limits, and what is wrong with it. */
export function NumberField({ control, name, label, input, unit = 1, children }: Props) {
  const { field, fieldState } = useController({ control, name });
  const { min = 1, max, helperText, warnings, isRequired } = input;
  const error = fieldState.error?.message;
  const state = error ? "error" : warnings.length > 0 ? "warning" : "default";
  const says = error ? [error] : [...warnings, helperText].filter(Boolean);
  const add = (step: number) => () => field.onChange(Number(field.value) + step);
  const set = ({ currentTarget: { value } }: FormEvent<HTMLInputElement>) =>
    field.onChange(value && Number(value));
  return (
    <FormGroup label={label} fieldId={name} isRequired={isRequired}>
      <Flex>
        <NumberInput
          value={field.value}
          {...{
            min: Math.ceil(min / unit),
            ...(max !== undefined && { max: Math.floor(max / unit) }),
          }}
          {...{ inputName: name, validated: state, widthChars: 4 }}
          {...{ onChange: set, onBlur: field.onBlur, onMinus: add(-1), onPlus: add(1) }}
          inputAriaLabel={label}
          minusBtnAriaLabel={`Less: ${label}`}
          plusBtnAriaLabel={`More: ${label}`}
          inputProps={{ id: name, ref: field.ref, "aria-describedby": `${name}-help` }}
        />
        {children}
      </Flex>
      <FormHelperText>
        <HelperText id={`${name}-help`} aria-live="polite">
          {says.map((text) => (
            <HelperTextItem key={text} variant={state}>
              {text}
            </HelperTextItem>
          ))}
        </HelperText>
      </FormHelperText>
    </FormGroup>
  );
}
