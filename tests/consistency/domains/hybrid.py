"""Motors on joints and shafts, with sensors and controllers, continuous or sampled."""

NAME = "hybrid"
WITHOUT = ("as_parameters",)


def generate(random):
    parts = {"battery": {"type": "electric.voltage_source", "input": "driver", "between": ["supply", "ground"]},
             "motor": {"type": "electric.dc_motor", "resistance": random.uniform(0.5, 3), "inductance": random.uniform(0.05, 0.5), "torque_constant": random.uniform(0.2, 1),
                       "initial": {"current": 0.0}, "damping": random.uniform(0.01, 0.2), "between": ["supply", "ground"]}}
    model = {"gravity": [0, 0, -9.81], "nodes": {"electrical": ["supply"]}, "components": parts, "simulate": {"until": 1.5, "step": 0.01}}
    angle = LOADS[random.choice(list(LOADS))](random, parts)
    parts["target"] = {"type": "control.sine", "amplitude": random.uniform(0.2, 1), "frequency": random.uniform(0.1, 0.6), "phase": random.uniform(0.2, 2)}
    gains = {"kp": random.uniform(1, 6), "ki": random.uniform(0, 2)}
    if random.random() < 0.5:
        parts["driver"] = {"type": "control.pid", **gains, "kd": random.uniform(0, 0.3), "derivative_filter": 0.08, "setpoint": "target", "measurement": angle}
    else:
        parts["driver"] = {"type": "sampled.pid", **gains, "period": random.choice([0.05, random.uniform(0.02, 0.1)]), "setpoint": "target", "measurement": angle}
    if random.random() < 0.4:
        parts["driver"].update({"minimum": -random.uniform(2, 5), "maximum": random.uniform(2, 5)})
    return model


def wheel(random, parts):
    parts["motor"]["shaft"] = "wheel"
    parts["wheel"] = {"type": "rotational.inertia", "inertia": random.uniform(0.05, 0.5), "initial": {"angle": random.uniform(-0.5, 0.5)}}
    return "wheel.angle"


def geared(random, parts):
    parts["motor"]["shaft"] = "rotor"
    parts["rotor"] = {"type": "rotational.inertia", "inertia": random.uniform(0.02, 0.1)}
    parts["load"] = {"type": "rotational.inertia", "inertia": random.uniform(0.1, 1)}
    parts["gears"] = {"type": "rotational.gear", "ratio": random.uniform(1.5, 4), "between": ["rotor", "load"]}
    return "load.angle"


def arm(random, parts):
    parts["motor"]["shaft"] = "hinge"
    length = random.uniform(0.2, 0.5)
    parts["arm"] = {"type": "body.rigid", "mass": random.uniform(0.1, 0.5), "principal_inertia": [0.01, 0.02, 0.02], "initial": {"position": [length, 0.0, 0.0]}}
    parts["hinge"] = {"type": "joint.revolute", "between": ["ground", "arm"], "at": [0, 0, 0], "axis": [0.0, 1.0, random.uniform(-1, 1)],
                      "initial": {"angle": random.uniform(-0.5, 1.5)}}
    if random.random() < 0.5:
        parts["bob"] = {"type": "body.sphere", "radius": 0.05, "mass": random.uniform(0.05, 0.3), "initial": {"position": [2 * length, 0.0, -0.3]}}
        parts["elbow"] = {"type": "joint.revolute", "between": ["arm", "bob"], "at": [2 * length, 0.0, 0.0], "axis": [0.0, 1.0, 0.0]}
        parts["bearing"] = {"type": "rotational.damper", "damping": random.uniform(0.001, 0.02), "between": ["ground", "elbow"]}
    return "hinge.angle"


LOADS = {f.__name__: f for f in (wheel, geared, arm)}
