// Hugging Face `config.json` to a transformer's shape.
//
// Key spellings differ between families; each quantity has a list of accepted ones. Where a key is absent the
// default of the family (`model_type`) counts, as in the `transformers` library: heads for key/value heads,
// hidden / heads for the head size, 4 x hidden for the FFN of the GPT families. A null is an absent key.
// Without model_type the family is told from the keys. Multimodal configs give their text part; what is left
// out is written into `TransformerConfig::notes`.
#pragma once

#include "core/input/transformer.h"

#include <string_view>

namespace slackscope {

// Refuses, in one sentence: text that is not a JSON object, models that are no plain transformer (diffusion,
// vision only, state space, hybrids), and configs that lack keys; that error lists all of them with their
// spellings.
tl::expected<TransformerConfig, InputError> readHuggingFaceConfig(std::string_view text,
                                                                  const std::string& file);

} // namespace slackscope
