import {
  Alert,
  Button,
  Form,
  FormSelect,
  FormSelectOption,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
} from "@patternfly/react-core";
import { inputAt, useRules, useValidation, vmrulesResolver } from "@vmrules/vmrules/react";
import { useController, useForm } from "react-hook-form";
import { NumberField } from "./NumberField.js";
import { units, type Values, valuesOf, withValues } from "./values.js";
import type { VM } from "./vm.js";

const domain = "/spec/template/spec/domain";
const fields = {
  [`${domain}/cpu/cores`]: "cores",
  [`${domain}/cpu/sockets`]: "sockets",
  [`${domain}/cpu/threads`]: "threads",
  [`${domain}/memory/guest`]: "memory",
} as const;

interface Props {
  vm: VM;
  template: object;
  onSave: (vm: object) => void;
}

/** CpuMemoryModal is a form for CPU and memory, as KubeVirt's console has it. */
export function CpuMemoryModal({ vm, template, onSave }: Props) {
  const rules = useRules({ vm, template });
  const { control, handleSubmit, watch, formState } = useForm<Values>({
    mode: "onChange",
    defaultValues: valuesOf(vm),
    resolver: vmrulesResolver(
      (values, options) => rules.validate(withValues(vm, values), options),
      {
        fields,
      },
    ),
  });
  // Another unit is another amount of memory.
  const { field: unit } = useController({ control, name: "unit", rules: { deps: "memory" } });
  const values = watch();
  const validation = useValidation(rules, withValues(vm, values));
  const at = (name: string) => inputAt(validation, `${domain}/${name}`);
  const { root } = formState.errors;
  const problem = rules.status === "failed" ? rules.error : validation.error;
  return (
    <Modal isOpen variant="small" aria-labelledby="title">
      <ModalHeader title="Edit CPU | Memory" labelId="title" />
      <ModalBody>
        <Form id="form" onSubmit={handleSubmit((values) => onSave(withValues(vm, values)))}>
          <NumberField control={control} name="cores" label="Cores" input={at("cpu/cores")} />
          <NumberField control={control} name="sockets" label="Sockets" input={at("cpu/sockets")} />
          <NumberField control={control} name="threads" label="Threads" input={at("cpu/threads")} />
          <NumberField
            {...{ control, name: "memory", label: "Memory" }}
            input={at("memory/guest")}
            unit={units[values.unit]}
          >
            <FormSelect
              {...{ name: unit.name, value: unit.value, ref: unit.ref, onBlur: unit.onBlur }}
              onChange={(_event, chosen) => unit.onChange(chosen)}
              aria-label="Unit of memory"
            >
              {Object.keys(units).map((unit) => (
                <FormSelectOption key={unit} value={unit} label={`${unit}B`} />
              ))}
            </FormSelect>
          </NumberField>
          {(problem || root) && (
            <Alert isInline variant="danger" title="The VM cannot be saved" component="h2">
              {(problem ?? root)?.message?.split("\n").map((line) => (
                <p key={line}>{line}</p>
              ))}
            </Alert>
          )}
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button type="submit" form="form" isLoading={formState.isSubmitting}>
          Save
        </Button>
      </ModalFooter>
    </Modal>
  );
}
