// The C interface over SteppedModel: no exception crosses it.
#include <escapement/stepping.h>

#include <cmath>
#include <new>

#include "model/diagnostics.hpp"
#include "stepping/stepped_model.hpp"

using namespace escapement;

struct escapement_model {
  SteppedModel plant;
  std::string message;  // of the last call that failed
};

namespace {

thread_local std::string opening;  // what went wrong in the last escapement_open()

/// f's status, or that of what it throws.
template <class F>
int guarded(std::string& message, const F& f) noexcept {
  int status = 70;
  try {
    try {
      return f();
    } catch (const ModelErrors& e) {
      status = exit_status(e.errors.front().code);
      message.clear();
      for (const ModelError& one : e.errors)
        message += (message.empty() ? "" : "\n") + std::string(one.what());
    } catch (const ModelError& e) {
      status = exit_status(e.code);
      message = e.what();
    } catch (const std::bad_alloc&) {
      message = "memory is exhausted";
    } catch (const std::exception& e) {
      message = e.what();
    }
  } catch (...) {  // not even the message found memory
  }
  return status;
}

}  // namespace

extern "C" {

int escapement_open(const char* file, const char* const* settings, escapement_model** model) {
  *model = nullptr;
  opening.clear();
  return guarded(opening, [&] {
    SteppingOptions options;
    for (; settings && *settings; ++settings) {
      const std::string text = *settings;
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0)
        throw ModelError("E-USAGE", text, "expected KEY=VALUE", "\"simulate.step=1 ms\"");
      options.set.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    *model = new escapement_model{SteppedModel(file ? file : "", options), {}};
    return 0;
  });
}

void escapement_close(escapement_model* model) { delete model; }

int escapement_input(escapement_model* model, const char* name) {
  int index = -1;
  guarded(model->message, [&] {
    index = model->plant.input(name).index;
    return 0;
  });
  return index;
}

int escapement_output(escapement_model* model, const char* name) {
  int index = -1;
  guarded(model->message, [&] {
    index = model->plant.output(name).index;
    return 0;
  });
  return index;
}

int escapement_set(escapement_model* model, int input, double value) {
  return guarded(model->message, [&] {
    model->plant.set({input}, value);
    return 0;
  });
}

int escapement_jump(escapement_model* model) {
  return guarded(model->message, [&] {
    if (!model->plant.jump()) model->message = model->plant.message();
    return model->plant.status();
  });
}

int escapement_step(escapement_model* model) {
  return guarded(model->message, [&] {
    if (!model->plant.step()) model->message = model->plant.message();
    return model->plant.status();
  });
}

double escapement_read(const escapement_model* model, int output) { return model->plant.read({output}); }
double escapement_time(const escapement_model* model) { return model->plant.time(); }
double escapement_step_size(const escapement_model* model) { return model->plant.step_size(); }
int escapement_ended(const escapement_model* model) { return model->plant.ended() ? 1 : 0; }

int escapement_rehearse(escapement_model* model) {
  return guarded(model->message, [&] {
    model->plant.rehearse();
    return model->plant.status();
  });
}

const char* escapement_message(const escapement_model* model) {
  return model ? model->message.c_str() : opening.c_str();
}

}  // extern "C"
