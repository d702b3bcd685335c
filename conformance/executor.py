import json, sys

for line in sys.stdin:
    question = json.loads(line)
    answer = {"id": question["id"]}
    try:
        (rule,) = json.loads(question["annotation"])
        value = question["object"]
        for name in "spec.template".split(".") + rule["path"].removeprefix("jsonpath::.").split("."):
            value = value[name]
        bounds = [rule.get("min", value), rule.get("max", value)]
        if rule["rule"] != "integer" or not all(type(n) is int for n in [value, *bounds]):
            raise ValueError("only numbers")
        answer["valid"] = bounds[0] <= value <= bounds[1] or bool(rule.get("justWarning"))
    except Exception as e:
        answer["skipped"] = str(e)
    print(json.dumps(answer), flush=True)
